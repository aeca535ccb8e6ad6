import { Table } from '../parts/table/Table.js'
import { markedText, shortened, Text } from '../parts/text/Text.js'
import { useFirstItems } from '../parts/use-first-items.js'
import type { Json } from '../schemas/json.js'
import type { TableData as Values } from './table.js'

const rowsAtFirst = 50

/** A table of values; a nested value is shown in short. */
export function DataTable({ of: { columns, rows }, name }: { of: Values; name: string }) {
  const { shown, moreButton } = useFirstItems(rows, rowsAtFirst, 'rows left')
  const heads = columns.map((column, index) => ({
    head: <Text of={column} />,
    cell: (row: Values['rows'][number]) => <Value of={row[index]} />,
  }))
  return (
    <div class="data-table stack near">
      {name !== '' && (
        <h4>
          <Text of={name} /> <span class="muted">({rows.length})</span>
        </h4>
      )}
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: so that its scrolled-off part can be read by keyboard */}
      <section class="scrolls" tabIndex={0} aria-label={name === '' ? 'Table' : `Table ${markedText(name)}`}>
        <Table columns={heads} rows={shown} />
      </section>
      {moreButton}
    </div>
  )
}

const longestInCell = 300

function Value({ of }: { of: Json | undefined }) {
  if (of === undefined) return <span class="muted">—</span>
  if (typeof of === 'number') return <span class="numbers">{String(of)}</span>
  const text = typeof of === 'string' ? of : JSON.stringify(of)
  return <Text of={shortened(text, longestInCell)} mono={typeof of === 'object'} />
}
