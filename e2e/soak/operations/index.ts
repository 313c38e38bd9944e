import { findLost } from '../lost.ts'
import { createModel, type Model } from '../model.ts'
import type { Operation } from '../operation.ts'
import type { SoakStage } from '../stage.ts'
import { createCallOperations } from './calls.ts'
import { createListOperation } from './lists.ts'
import { createOrders } from './orders.ts'
import { createRuns } from './runs.ts'
import { createSkills, judgeSkill } from './skills.ts'
import { createListenOperation } from './subscriptions.ts'
import { createTasks } from './tasks.ts'

export interface Operations {
  readonly all: readonly Operation[]
  /** What lies in the engine's state alone. */
  readonly kept: readonly Model[]
  /** What was acknowledged and cannot be had. */
  findLost(stage: Pick<SoakStage, 'clients'>): Promise<string[]>
  /** Has the registry read every skill. */
  readAll(stage: Pick<SoakStage, 'clients'>): Promise<unknown>
}

/** @param absent processes that could not be started */
export function createOperations(
  { control, mcpUrl }: Pick<SoakStage, 'control' | 'mcpUrl'>,
  { absent, isCalm }: { absent: readonly string[]; isCalm: () => boolean },
): Operations {
  const [skills, orders, runs, tasks] = [createModel(), createModel(), createModel(), createModel()]
  const shop = createOrders(orders)
  return {
    kept: [orders, runs, tasks],
    all: [
      ...createCallOperations(absent),
      ...shop.operations,
      ...createSkills(control, skills, isCalm),
      ...createRuns(control, runs),
      createTasks(tasks),
      createListOperation(isCalm),
      createListenOperation(mcpUrl, control, skills),
    ],
    readAll: ({ clients: [client] }) =>
      Promise.all(
        client === undefined ? [] : skills.ids().map((id) => judgeSkill(skills, id, client).catch(() => undefined)),
      ),
    async findLost({ clients: [client] }) {
      if (client === undefined) return []
      const ofSkills = await findLost(skills, client, (id) => judgeSkill(skills, id, client))
      return [...ofSkills, ...(await findLost(orders, client, shop.read))]
    },
  }
}
