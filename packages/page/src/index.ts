/** The page that shows in a browser what agents see. */
export interface Page {
  /** One text, with script and style inside. */
  readonly html: string
  /** Its Content-Security-Policy. */
  readonly policy: string
}

/** From sources it is made when it is first asked for; programs of one file carry it ready. */
export async function loadPage(): Promise<Page> {
  const { buildPage } = await import('./build.ts')
  return buildPage()
}
