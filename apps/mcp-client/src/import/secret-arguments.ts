import { looksSecret } from '../configuration/secret-look.ts'

/** Says which argument looks like a secret: an argument is seen by every program on the machine, and has no reference that it could come from. */
export function findSecretArgument(args: unknown): string | undefined {
  if (!Array.isArray(args)) return undefined
  const list: readonly unknown[] = args
  const at = list.findIndex((argument, index) => {
    if (typeof argument !== 'string') return false
    const before = list[index - 1]
    const flag = typeof before === 'string' && before.startsWith('-') && !before.includes('=') ? before : ''
    return looksSecret(flag, argument) || isAssigned(argument)
  })
  if (at === -1) return undefined
  return `args[${at}] looks like a secret, which is not copied: most servers take it as a variable too (env.set: { NAME: { env: NAME } })`
}

/** `--api-key=…` */
function isAssigned(argument: string): boolean {
  const [, flag, value] = /^(--?[\w-]+)=(.+)$/s.exec(argument) ?? []
  return flag !== undefined && value !== undefined && looksSecret(flag, value)
}
