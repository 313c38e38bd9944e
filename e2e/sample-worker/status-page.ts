import { formatMoney } from './order.ts'
import type { Report } from './report.ts'

/** The live section `iii://fn/orders/status`: figures of this moment, as markdown. */
export function formatStatusPage(report: Report, now: Date): string {
  const count = (status: string) => report.by_status.find((group) => group.key === status)?.orders ?? 0
  return [
    '# Orders right now',
    '',
    `At ${now.toISOString()} there are ${report.orders} orders.`,
    '',
    `- open: ${count('open')}`,
    `- cancelled: ${count('cancelled')}`,
    ...Object.entries(report.totals).map(
      ([currency, amount]) => `- value of the open ones: ${formatMoney(amount, currency)}`,
    ),
    '',
    'The rules for giving money back are in [refunds](iii://orders/refunds).',
  ].join('\n')
}
