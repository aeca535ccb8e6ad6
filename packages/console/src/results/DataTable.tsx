import { useState } from 'preact/hooks'
import { Button } from '../parts/Button.js'
import { Table } from '../parts/table/Table.js'
import { markedText, shortened, Text } from '../parts/text/Text.js'
import type { Json } from '../schemas/json.js'
import type { TableData as Values } from './table.js'

const rowsAtFirst = 50

/** Rows and columns of values; what is inside a cell is told in short. */
export function DataTable({ of: { columns, rows }, name }: { of: Values; name: string }) {
  const [most, setMost] = useState(rowsAtFirst)
  return (
    <div class="data-table stack near">
      {name !== '' && (
        <h4>
          <Text of={name} /> <span class="muted">({rows.length})</span>
        </h4>
      )}
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: so that its scrolled-off part can be read by keyboard */}
      <section class="scrolls" tabIndex={0} aria-label={name === '' ? 'Table' : `Table ${markedText(name)}`}>
        <Table heads={columns.map((column) => <Text of={column} key={column} />)}>
          {rows.slice(0, most).map((row, at) => (
            <tr key={at}>
              {row.map((value, index) => (
                <Cell key={columns[index]} of={value} />
              ))}
            </tr>
          ))}
        </Table>
      </section>
      {rows.length > most && (
        <Button small variant="quiet" onClick={() => setMost(most + 10 * rowsAtFirst)}>
          Show more: {rows.length - most} rows left
        </Button>
      )}
    </div>
  )
}

const longestInCell = 300

function Cell({ of }: { of: Json | undefined }) {
  if (of === undefined) return <td class="muted">—</td>
  if (typeof of === 'number') return <td class="numbers">{String(of)}</td>
  const text = typeof of === 'string' ? of : JSON.stringify(of)
  return (
    <td>
      <Text of={shortened(text, longestInCell)} mono={typeof of === 'object'} />
    </td>
  )
}
