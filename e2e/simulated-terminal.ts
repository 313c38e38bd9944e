/** Loaded before the program, in a process of its own: Node brings no pseudo-terminal along, and a program asks its stdout alone. */
const PRELOAD = 'process.stdout.isTTY=true;process.stdout.columns=80'

/** The environment of a program that takes the pipe that it writes to for a terminal, which it is not. */
export const SIMULATED_TERMINAL: Readonly<Record<string, string>> = {
  NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(PRELOAD)}`,
}
