import type { LimitReached } from '../api/types.js'
import { Empty } from '../parts/Empty.js'
import { Table } from '../parts/table/Table.js'
import { Text } from '../parts/text/Text.js'
import { Ago } from '../parts/time/Time.js'

/** Who has called a tool more often than is allowed. */
export const LimitsReached = ({ limits }: { limits: readonly LimitReached[] | undefined }) => (
  <section class="card overview-card" aria-label="Limits reached">
    <header>
      <h2>Limits reached</h2>
    </header>
    {!limits || limits.length === 0 ? (
      <Empty icon="check" title="No rate limits reached">
        Callers who exceed a rate limit appear here.
      </Empty>
    ) : (
      <Table heads={['Tool', 'Caller', 'Times', 'Last']}>
        {limits.slice(0, 8).map(({ tool, caller, count, lastAt }) => (
          <tr key={`${tool}\n${caller}`}>
            <td>
              <Text of={tool} mono />
            </td>
            <td>
              <Text of={caller} />
            </td>
            <td class="numbers">{count.toLocaleString()}</td>
            <td>
              <Ago at={lastAt} />
            </td>
          </tr>
        ))}
      </Table>
    )}
  </section>
)
