/**
 * A source of the template without types, which has them in two places alone: names that are imported, and parameters of functions.
 * A parameter keeps its type as editors read it in plain JavaScript.
 */
export function toPlainJavaScript(text: string): string {
  return text
    .replace(/, type \w+/g, '')
    .replaceAll(".ts'", ".js'")
    .replace(
      / \*\/\nexport function (\w+)\((\w+): (\w+)\)/g,
      "\n *\n * @param {import('@iii/sdk').$3} $2\n */\nexport function $1($2)",
    )
    .replace(/\/\*\* (.+)\n \*\n/g, '/**\n * $1\n *\n')
}
