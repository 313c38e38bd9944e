import { mkdir, mkdtemp, realpath, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'

/** A folder that only this user can look into. */
export interface PrivateFolder {
  readonly path: string
  write(name: string, text: string): Promise<void>
  /** Lets code in it import a package that lies elsewhere. */
  link(name: string, target: string): Promise<void>
  /** Lets code in it import a package that is one module. */
  addPackage(name: string, module: string): Promise<void>
  /** Does nothing the second time, nor where whoever used it has left something that cannot be removed. */
  remove(): Promise<void>
}

export async function makePrivateFolder(prefix: string): Promise<PrivateFolder> {
  // It is made with 0700.
  const path = await realpath(await mkdtemp(join(tmpdir(), prefix)))
  const write = (name: string, text: string) => writeFile(join(path, name), text, { mode: 0o600, flag: 'wx' })
  return {
    path,
    write,
    async link(name, target) {
      const link = join(path, 'node_modules', name)
      await mkdir(dirname(link), { recursive: true })
      await symlink(target, link, 'junction')
    },
    async addPackage(name, module) {
      const home = join('node_modules', name)
      await mkdir(join(path, home), { recursive: true })
      await write(join(home, 'package.json'), JSON.stringify({ name, type: 'module', exports: './index.js' }))
      await write(join(home, 'index.js'), module)
    },
    remove: () => rm(path, { recursive: true, force: true, maxRetries: 3 }).catch(() => undefined),
  }
}
