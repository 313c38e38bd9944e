/** Something the engine does that its makers did not mean. */
export interface Defect {
  /** The recorded trace that shows it. */
  readonly trace: string
  /** What the engine does. */
  readonly engine: string
  /** What happens with `fixed` instead. */
  readonly fixed: string
}

/** Every defect that can be turned off; anything else the engine does is reproduced without a choice. */
export const DEFECTS = {
  poisonedRouter: {
    trace: 'bad-api-path-poisons-router',
    engine:
      'A path that the router cannot take ends the connection that registers it, and every later change of routes.',
    fixed: 'The registration is refused with `trigger_registration_failed` and a text that names the path.',
  },
  lostBuiltin: {
    trace: 'builtin-shadowed-then-lost',
    engine: 'A function of the engine that a worker took over is gone when that worker leaves.',
    fixed: 'It is back when the worker leaves or unregisters it.',
  },
  deafReader: {
    trace: 'channel-reader-is-deaf',
    engine: 'Nothing is read from the read side of a channel: no pong, no close handshake.',
    fixed: 'Pings are answered, and a reader that closes is gone.',
  },
  lostSiblings: {
    trace: 'pubsub-sibling-bug',
    engine: 'One subscriber that leaves a topic detaches all others.',
    fixed: 'Only that subscriber is detached.',
  },
  answerFromAnyone: {
    trace: 'result-from-anyone',
    engine: 'A call is answered by whoever knows its id.',
    fixed: 'Only the worker that was called can answer.',
  },
  unboundByStranger: {
    trace: 'trigger-unregistered-by-stranger',
    engine: 'Any worker can remove any binding.',
    fixed: 'A binding that lives with a connection can be removed by that connection only.',
  },
  sharedName: {
    trace: 'workers-info-shared-id',
    engine: 'A worker that lost a function to another one still lists it, and may be named as its worker.',
    fixed: 'Only the owner lists it and is named.',
  },
  shadowedBuiltin: {
    trace: 'builtin-shadowed-in-default',
    engine: 'On 0.23 a worker can take over a function of the engine, though the first to have an id keeps it.',
    fixed: 'It is refused, as any function that somebody has; the owner it is told is the empty text.',
  },
  graceOpensDefault: {
    trace: 'rbac-grace-opens-default',
    engine:
      'On 0.23 a connection that may only be in other namespaces, and says none of them in time, ends up in the default one.',
    fixed: 'What it registers waits until it says a namespace that it may be in.',
  },
} as const satisfies Readonly<Record<string, Defect>>

/** Which defects an engine has. */
export type Defects = Readonly<Record<keyof typeof DEFECTS, boolean>>

/** All of them, as the real engine, or none. */
export function toDefects(fixed: boolean): Defects {
  return {
    poisonedRouter: !fixed,
    lostBuiltin: !fixed,
    deafReader: !fixed,
    lostSiblings: !fixed,
    answerFromAnyone: !fixed,
    unboundByStranger: !fixed,
    sharedName: !fixed,
    shadowedBuiltin: !fixed,
    graceOpensDefault: !fixed,
  }
}
