import type { Code } from '../diagnostics/diagnostic.ts'

/** What to do about each code, as an order. @param name of the server */
export function toAdvice(code: Code, name: string): string {
  return ADVICE[code].replaceAll('NAME', name)
}

const ADVICE: Readonly<Record<Code, string>> = {
  malformed: 'mend the file; the worker takes it up without a restart',
  unknown_key: 'mend the key, or remove it',
  file_within_reach:
    'give the server a folder in which this file is not, or deny its tools that write: servers.NAME.tools.deny',
  other_file: 'give the running worker this file, or stop it and start one with this file; only one of them serves',
  not_trusted:
    'look at the program, and if you trust it with all rights of the worker write trust: unsandboxed below servers.NAME',
  command_not_found: 'install the program, or name it by its whole path; the worker has a PATH of its own',
  not_executable: 'make the file executable, or name the program that runs it as the command, and the file in args',
  cwd_missing: 'make the folder, or mend servers.NAME.cwd',
  secret_missing: 'give the worker the secret, and look whether it starts: iii-mcp-client check NAME',
  exited_before_initialize: 'run the command by hand, and read its stderr: iii-mcp-client show NAME',
  start_timeout:
    'if it downloads something at its first start, run it once by hand, or raise servers.NAME.timeouts.start_ms',
  initialize_invalid:
    'mend what its error names, such as a login or token; where there is none, the program may be no MCP server: look at its command and args',
  revision_unsupported:
    'use a version of the server that speaks one of those revisions, or a newer version of this worker',
  stdout_garbage: 'the server writes something else than MCP to stdout: have it log to stderr',
  message_too_large: 'ask for less at once, or raise servers.NAME.limits.message_bytes',
  list_failed:
    'where it takes long, raise servers.NAME.timeouts.list_ms; otherwise look at its stderr: iii-mcp-client show NAME',
  too_many_tools: 'raise servers.NAME.limits.tools, or have the server offer fewer',
  tool_left_out: 'nothing here: only the server can mend the tool',
  tools_changed: 'look at what is different, and approve it: iii-mcp-client approve NAME',
  name_conflict: 'give the server another name',
  list_churn: 'the server says all the time that its tools change: it should say so less often',
  exited: 'look at its stderr: iii-mcp-client show NAME',
}
