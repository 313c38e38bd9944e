const NAME = /^[A-Za-z_][A-Za-z0-9_]{0,255}$/

/** Says what is wrong with the name of a variable that a server gets. Goes on after the name. */
export function explainVariable(name: string): string | undefined {
  return NAME.test(name) ? undefined : "is no name of a variable: letters, digits and '_', and no digit first"
}

/** Says what is wrong with the name of a variable of this worker that goes on to a server. Goes on after the name. */
export function explainOwnVariable(name: string): string | undefined {
  const problem = explainVariable(name)
  if (problem !== undefined || !isOwn(name)) return problem
  return 'is a variable of this worker alone: III_… is never passed on, for it may open the engine; what a server has to know of it stands under env.set, by { value } or { file }'
}

/** Addresses and keys of the engine. Windows takes no notice of case. */
export function isOwn(name: string): boolean {
  return name.toUpperCase().startsWith('III_')
}
