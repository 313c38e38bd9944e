import type { IIIClient } from 'iii-sdk'

/** A section, a skill and a prompt. */
export async function publishTexts(iii: IIIClient): Promise<void> {
  iii.registerFunction('demo::guide', async () => ({
    content: '# Demo guide\n\nThe long-form docs for the demo worker.',
  }))

  iii.registerFunction('demo::greet_prompt', async ({ name = 'world' }: { name?: string }) => ({
    content: `Greet ${name} warmly.`,
  }))

  await iii.trigger({
    function_id: 'skills::register',
    payload: {
      id: 'demo',
      skill: '# demo\n\nA demo worker.\n\nSee [`guide`](iii://fn/demo/guide) for the long version.\n',
    },
  })

  await iii.trigger({
    function_id: 'prompts::register',
    payload: {
      name: 'greet',
      description: 'Compose a greeting.',
      arguments: [{ name: 'name', description: 'Who to greet', required: true }],
      function_id: 'demo::greet_prompt',
    },
  })
}
