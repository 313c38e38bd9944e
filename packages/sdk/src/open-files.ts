/** What to do where the system gives this process no more files, pipes or connections. */
export const RAISE_OPEN_FILES =
  'As many files and connections are open as this process, or the system, may have: raise the limit of open files (ulimit -n, LimitNOFILE= of a systemd unit)'

const REFUSED = /\bE[MN]FILE\b/

/** Whether the text of an error says that. */
export function isOutOfFiles(problem: string): boolean {
  return REFUSED.test(problem)
}
