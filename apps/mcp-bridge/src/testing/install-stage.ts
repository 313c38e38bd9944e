import { join } from 'node:path'
import type { OperatorHost } from '../operator/host.ts'
import { type CommandRun, runCommand } from './command.ts'
import { createFolder, type TestFolder } from './folder.ts'

/** A computer on which `install` is run. */
export interface InstallStage extends TestFolder {
  /** Runs on a computer whose home is the folder, from a checkout that lies in it, unless told otherwise. */
  run(words: string, host?: Partial<OperatorHost>, env?: Record<string, string>): Promise<CommandRun>
}

export async function startInstallStage(): Promise<InstallStage> {
  const folder = await createFolder()
  await folder.write('checkout/bundle/index.mjs', '')
  await folder.write('checkout/bin/iii-mcp.js', '')
  await folder.write('node/bin/node', '')
  const standard: Partial<OperatorHost> = {
    platform: 'linux',
    home: join(folder.path, 'home'),
    node: join(folder.path, 'node/bin/node'),
    script: join(folder.path, 'checkout/bin/iii-mcp.js'),
  }
  return {
    ...folder,
    run: (words, host = {}, env = {}) => runCommand(words.split(' '), { host: { ...standard, ...host }, env }),
  }
}

/** What the file of a client says of the server. */
export async function readServerBlock(
  stage: InstallStage,
  file = 'home/.cursor/mcp.json',
): Promise<Record<string, unknown>> {
  const { mcpServers } = JSON.parse(await stage.read(file)) as { mcpServers: Record<string, Record<string, unknown>> }
  return mcpServers['iii'] ?? {}
}
