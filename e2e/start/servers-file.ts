import { chmod, stat } from 'node:fs/promises'
import process from 'node:process'
import { SAMPLE_MCP_SERVERS } from '../programs.ts'

/** The bits of group and others: `mcp-client` takes no file that they may write. */
const OTHERS_WRITE = 0o022

/**
 * The file that names the MCP servers which `start` runs: the one of `--mcp-servers`, or that of the sample.
 *
 * @returns what is wrong with it, for whoever gave it
 */
export async function findServersFile(given: string | undefined): Promise<{ file: string } | { problem: string }> {
  const file = given ?? SAMPLE_MCP_SERVERS
  const found = await stat(file).catch(() => undefined)
  if (!found?.isFile()) {
    return { problem: `There is no file ${file}: --mcp-servers takes one like e2e/sample-mcp-server/servers.yaml.` }
  }
  if (process.platform === 'win32' || (found.mode & OTHERS_WRITE) === 0) return { file }
  if (given !== undefined) {
    return { problem: `Others than you may write ${file}, and could say what runs here: chmod go-w ${file}` }
  }
  // In a checkout with another umask it is ours to close.
  await chmod(file, found.mode & ~OTHERS_WRITE)
  return { file }
}
