/** How a check ended. `skipped`: something else has to work first. */
export type CheckVerdict = 'ok' | 'warning' | 'problem' | 'skipped'

/** What a check found. */
export interface Finding {
  readonly verdict: CheckVerdict
  /** One sentence without a full stop. */
  readonly summary: string
  /** What the summary is made of, where that is several things: a line each. */
  readonly details?: readonly string[]
  /** What to do about it, an order each. */
  readonly advice: readonly string[]
}

/** One thing that is looked at. */
export interface Check<Context> {
  readonly name: string
  /** @throws anything: it becomes a problem */
  run(context: Context): Promise<Finding>
}

/** A finding under the name of its check. */
export interface Result extends Finding {
  readonly check: string
}

export function ok(summary: string): Finding {
  return { verdict: 'ok', summary, advice: [] }
}

export function warning(summary: string, ...advice: string[]): Finding {
  return { verdict: 'warning', summary, advice }
}

export function problem(summary: string, ...advice: string[]): Finding {
  return { verdict: 'problem', summary, advice }
}

export function skipped(summary: string): Finding {
  return { verdict: 'skipped', summary, advice: [] }
}

/** Runs checks side by side, each with a deadline of its own, so that one that hangs or fails keeps none of the others. */
export async function runChecks<Context>(
  checks: readonly Check<Context>[],
  context: Context,
  deadlineMs: number,
  explain: (error: unknown) => string,
): Promise<Result[]> {
  return Promise.all(
    checks.map(async (check) => {
      const finding = await within(deadlineMs, check, context).catch((error: unknown) => problem(explain(error)))
      return { check: check.name, ...finding }
    }),
  )
}

async function within<Context>(ms: number, check: Check<Context>, context: Context): Promise<Finding> {
  let timer: NodeJS.Timeout | undefined
  const silence = new Promise<Finding>((resolve) => {
    const summary = `nothing came back within ${ms / 1000} s`
    timer = setTimeout(() => resolve(problem(summary, 'look at the load and the log of the engine, and try again')), ms)
  })
  try {
    return await Promise.race([check.run(context), silence])
  } finally {
    clearTimeout(timer)
  }
}
