import { z } from 'zod'

/** How long a skill or a prompt is in lists. */
export const LeaseFlag = z
  .boolean()
  .optional()
  .describe('Whether it is listed only while the worker that registers it is there.')
