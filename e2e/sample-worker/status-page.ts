import { formatMoney } from './order.ts'
import type { Figures } from './report.ts'

/** The live section `iii://fn/orders/status`: figures of this moment, as markdown. */
export function formatStatusPage(figures: Figures, now: Date): string {
  const group = (status: string) => figures.groups.find(({ by, key }) => by === 'status' && key === status)
  return [
    '# Orders right now',
    '',
    `At ${now.toISOString()} there are ${figures.orders} orders.`,
    '',
    `- open: ${group('open')?.orders ?? 0}`,
    `- cancelled: ${group('cancelled')?.orders ?? 0}`,
    ...Object.entries(group('open')?.totals ?? {}).map(
      ([currency, amount]) => `- value of the open ones: ${formatMoney(amount, currency)}`,
    ),
    '',
    'The rules for giving money back are in [refunds](iii://orders/refunds).',
  ].join('\n')
}
