import { arch, platform, release } from 'node:os'
import { formatCall } from '../wire/frames.ts'

const MAX_DESCRIPTION_LENGTH = 280

/** The call by which a worker gets its row in `engine::workers::list`. */
export function formatPresentation(
  invocationId: string,
  worker: { name: string; namespace: string | undefined; version: string | undefined; description: string | undefined },
): string {
  const { name, namespace, version, description } = worker
  return formatCall({
    invocationId,
    functionId: 'engine::workers::register',
    payload: {
      runtime: 'node',
      version,
      name,
      namespace,
      description: description?.slice(0, MAX_DESCRIPTION_LENGTH),
      os: `${platform()} ${release()} (${arch()})`,
      pid: process.pid,
    },
  })
}
