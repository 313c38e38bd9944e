/**
 * Packages that code of clients may import although nothing is installed: name → its one module, as text. A program of one file
 * has them in itself; where sources run they are installed.
 */
export const readCarriedPackages = (): Readonly<Record<string, string>> => ({})
