/** What the clock of the engine calls. */
export const DUE = 'runs::on-schedule'
