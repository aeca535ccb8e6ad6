import { useState } from 'preact/hooks'
import { Tabs } from '../parts/Tabs.js'
import { JsonText, Json as Tree } from '../parts/text/Json.js'
import type { Json } from '../schemas/json.js'
import { DataTable } from './DataTable.js'
import { tablesIn } from './table.js'

/** A value as a tree, as JSON, and as tables if it contains any. */
export function StructuredContent({ of, label = 'Structured content' }: { of: Json; label?: string }) {
  const tables = tablesIn(of)
  const [way, setWay] = useState(tables.length > 0 ? 'table' : 'tree')
  const tabs = [
    ...(tables.length > 0 ? [{ id: 'table', label: 'Table' }] : []),
    { id: 'tree', label: 'Tree' },
    { id: 'json', label: 'JSON' },
  ]
  const current = tabs.some(({ id }) => id === way) ? way : 'tree'
  return (
    <Tabs label={label} tabs={tabs} current={current} onChange={setWay}>
      {current === 'table' && tables.map(({ name, table }) => <DataTable key={name} name={name} of={table} />)}
      {current === 'tree' && <Tree of={of} open={2} />}
      {current === 'json' && <JsonText of={of} />}
    </Tabs>
  )
}
