import { createView, type View } from './view.ts'

/** Everything that is looked at for those who watch. */
export interface Views {
  subjects(): Iterable<string>
  find(subject: string): View | undefined
  /** Looks also at these addresses from now on, as far as they are looked at. */
  follow(uris: Iterable<string>): void
  /** Remembers how what is watched looks, where that is not known. Never rejects. */
  learn(isWatched: (subject: string) => boolean): Promise<void>
  /** Nobody watches it any more. */
  forget(subject: string): void
}

type Draw = () => Promise<string>

/**
 * @param render what there always is
 * @param renderOf what there is as long as somebody watches it
 */
export function createViews(render: ReadonlyMap<string, Draw>, renderOf?: (uri: string) => Draw | undefined): Views {
  const views = new Map([...render].map(([subject, draw]) => [subject, createView(draw)]))
  return {
    subjects: () => views.keys(),
    find: (subject) => views.get(subject),
    follow(uris) {
      for (const uri of uris) {
        const draw = views.has(uri) ? undefined : renderOf?.(uri)
        if (draw !== undefined) views.set(uri, createView(draw))
      }
    },
    async learn(isWatched) {
      const watched = [...views].filter(([subject]) => isWatched(subject))
      await Promise.all(watched.map(([, view]) => view.learn()))
    },
    forget(subject) {
      views.get(subject)?.forget()
      if (!render.has(subject)) views.delete(subject)
    },
  }
}
