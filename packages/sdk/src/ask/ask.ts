import type { JsonSchema, ZodSchema } from '../schema/json-schema.ts'
import { type FlatFields, type FormContent, toFormQuestion } from './form-question.ts'
import type { Interview } from './interview.ts'
import type { Answer, AskOptions } from './question.ts'
import { ROOTS_QUESTION, type Root } from './roots-question.ts'
import { type Sample, type SampleParams, toSampleQuestion } from './sample-question.ts'

/**
 * Asks the client of the call. It reads like a call, but the function ends with the question and runs again from the top with the answer;
 * then the same line answers. So nothing may be called before it but in `once(key, fn)`, and what must not change from run to run comes
 * from there too. Several questions at once (`Promise.all`) are asked at once.
 *
 * An answer that does not fit is asked for again. Where nobody can be asked, the `default` counts, and without one the call fails: with a
 * Fault `unavailable` when it did not come through MCP, else as the bridge tells the client that a capability is missing.
 */
export interface Ask {
  /**
   * Shows a form to the person (MCP elicitation).
   *
   * @param schema a zod object with flat fields: `z.string()` (also email, URL, date, date and time), `z.number()`, `z.int()`,
   *   `z.boolean()`, `z.enum()`, a list of an enum, `z.union` of `z.literal('s').meta({ title: 'Small' })`; or MCP's own JSON Schema.
   * @throws Fault `internal` for a schema that no form can show.
   *
   * @example
   * const answer = await ask.form('Which size?', z.object({ size: z.enum(['S', 'M']) }), { default: { size: 'M' } })
   * if (answer.action !== 'accept') return 'Nothing ordered'
   * answer.content.size // 'S'
   */
  form<S extends ZodSchema | JsonSchema>(
    message: string,
    schema: S & FlatFields<S>,
    options?: AskOptions<FormContent<S>>,
  ): Promise<Answer<FormContent<S>>>
  /** Has the client's model write something (MCP sampling). A text is one message of the user, answered in at most 1 000 tokens. */
  sample(params: SampleParams | string, options?: AskOptions<Sample>): Promise<Answer<Sample>>
  /** The folders that the client works in (MCP roots). */
  roots(options?: AskOptions<Root[]>): Promise<Answer<Root[]>>
}

export function createAsk(interview: Pick<Interview, 'put'>): Ask {
  return {
    form: async (message, schema, options) => interview.put(toFormQuestion(message, schema), options),
    sample: async (params, options) => interview.put(toSampleQuestion(params), options),
    roots: async (options) => interview.put(ROOTS_QUESTION, options),
  }
}
