import { styleText } from 'node:util'

/** Gives a text colour or weight, where it is read by eyes. */
export type Paint = (format: 'bold' | 'dim' | 'red' | 'green' | 'yellow', text: string) => string

/** For pipes, files and programs. */
export const PLAIN: Paint = (_, text) => text

/** Colour on a terminal, and none in a pipe, with `NO_COLOR` (https://no-color.org) or on a terminal that has none. */
export function createPaint(
  { isTTY }: { readonly isTTY?: boolean | undefined },
  env: Readonly<Record<string, string | undefined>>,
): Paint {
  const isColoured = isTTY === true && (env['NO_COLOR'] ?? '') === '' && env['TERM'] !== 'dumb'
  return isColoured ? (format, text) => styleText(format, text, { validateStream: false }) : PLAIN
}
