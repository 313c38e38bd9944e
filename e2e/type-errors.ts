import { fileURLToPath } from 'node:url'
import ts from 'typescript'

const BASE = fileURLToPath(new URL('../tsconfig.base.json', import.meta.url))
const TYPES = fileURLToPath(new URL('../node_modules/@types', import.meta.url))

/**
 * What the compiler has against files in a folder, with the settings of this repository, as text. The sources that they
 * import are not looked at: `pnpm check` does that.
 */
export function findTypeErrors(folder: string, files: readonly string[]): string {
  const config = { extends: BASE, compilerOptions: { noEmit: true, typeRoots: [TYPES] }, files }
  const { options, fileNames, errors } = ts.parseJsonConfigFileContent(config, ts.sys, folder)
  const program = ts.createProgram(fileNames, options)
  const ofFiles = fileNames.flatMap((name) => {
    const source = program.getSourceFile(name)
    return [...program.getSyntacticDiagnostics(source), ...program.getSemanticDiagnostics(source)]
  })
  const diagnostics = [...errors, ...program.getOptionsDiagnostics(), ...program.getGlobalDiagnostics(), ...ofFiles]
  return ts.formatDiagnostics(diagnostics, {
    getCanonicalFileName: (name) => name,
    getCurrentDirectory: () => folder,
    getNewLine: () => '\n',
  })
}
