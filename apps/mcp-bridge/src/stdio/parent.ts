const LOOK_EVERY_MS = 500

/**
 * Tells when the process that started this one has ended: the system gives this one another parent then.
 *
 * @param parentId of the process that is the parent at the moment
 * @returns how to stop looking
 */
export function watchParent(onGone: () => void, parentId: () => number = () => process.ppid): () => void {
  const first = parentId()
  const looks = setInterval(() => {
    if (parentId() === first) return
    clearInterval(looks)
    onGone()
  }, LOOK_EVERY_MS).unref()
  return () => clearInterval(looks)
}
