/** The engine release whose behaviour this package reproduces. */
export const ENGINE_VERSION = '0.22.1'
