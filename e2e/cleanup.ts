/** What a test file has to take down at its end, the last first. Node 20 has no AsyncDisposableStack. */
export interface Cleanup {
  use<T extends AsyncDisposable>(resource: T): T
  run(): Promise<void>
}

export function createCleanup(): Cleanup {
  const resources: AsyncDisposable[] = []
  return {
    use(resource) {
      resources.push(resource)
      return resource
    },
    async run() {
      for (let last = resources.pop(); last !== undefined; last = resources.pop()) await last[Symbol.asyncDispose]()
    },
  }
}
