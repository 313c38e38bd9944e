import { LIFE_MODES } from './life-modes.mjs'
import { LIST_MODES } from './list-modes.mjs'
import { RESULT_MODES } from './result-modes.mjs'

/** What each mode has instead of what an honest server has. */
export const MODES = { honest: () => ({}), ...LIFE_MODES, ...LIST_MODES, ...RESULT_MODES }
