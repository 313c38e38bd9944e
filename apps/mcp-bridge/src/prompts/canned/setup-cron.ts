import { NODE_HEAD, NODE_RUN, NODE_STEPS, toCodeBlock, toLiteral } from './code.ts'
import type { CannedPrompt } from './prompt.ts'

const EVERY = '(?:[*?]|(?:\\d{1,4}|[A-Z]{3})(?:-(?:\\d{1,4}|[A-Z]{3}))?)(?:/\\d{1,4})?'
const FIELD = new RegExp(`^${EVERY}(?:,${EVERY})*$`, 'i')

/** How to run something at certain times. */
export const setupCron: CannedPrompt = {
  name: 'setup-cron',
  title: 'Set up a cron job',
  description: 'Set up a scheduled cron job',
  arguments: [
    {
      name: 'schedule',
      description: 'Second, minute, hour, day of month, month and weekday (UTC), for example 0 */5 * * * *',
      values: () => ['0 */5 * * * *', '0 0 * * * *', '0 0 9 * * *', '0 0 9 * * MON-FRI', '0 0 0 1 * *'],
    },
  ],
  render({ schedule = '' }) {
    const fields = schedule.trim().split(/\s+/)
    if (fields.length < 5 || fields.length > 7 || !fields.every((field) => FIELD.test(field))) {
      return {
        mistake: `\`${schedule}\` is no schedule. Pass six fields: second, minute, hour, day of month, month and weekday, for example \`0 */5 * * * *\` for every five minutes; a seventh is the year.`,
      }
    }
    // What crontab knows has no seconds.
    const expression = (fields.length === 5 ? ['0', ...fields] : fields).join(' ')
    return [
      `Call a function by the schedule \`${expression}\`.`,
      ...(fields.length === 5
        ? [`The engine wants seconds as well: \`${schedule.trim()}\` is \`${expression}\`.`]
        : []),
      `1. ${NODE_STEPS}`,
      toCodeBlock('js', toWorker(expression)),
      `2. ${NODE_RUN}`,
      'What binds the function to the schedule is this trigger:',
      toCodeBlock('json', JSON.stringify({ type: 'cron', config: { expression } }, null, 2)),
      [
        'It needs `iii-cron` among the workers of the engine.',
        'The fields are second, minute, hour, day of month, month, weekday and, if you like, year; times are UTC.',
        'The next run begins when the last one has ended; what fell between is left out.',
      ].join(' '),
    ].join('\n\n')
  },
}

function toWorker(expression: string): string {
  return `${NODE_HEAD}

worker.registerFunction('jobs::scheduled', async ({ scheduled_time }) => {
  console.log('due at', scheduled_time)
  return {}
})

worker.registerTrigger({
  type: 'cron',
  function_id: 'jobs::scheduled',
  config: { expression: ${toLiteral(expression)} },
})`
}
