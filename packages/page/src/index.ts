import type { Page } from './build.ts'

export type { Page }

/** The page that shows in a browser what agents see. From sources it is made when it is first asked for; programs of one file carry it ready. */
export async function loadPage(): Promise<Page> {
  const { buildPage } = await import('./build.ts')
  return buildPage()
}
