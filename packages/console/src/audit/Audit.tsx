import '../styles/audit.css'
import { useCallback, useMemo, useState } from 'preact/hooks'
import { useEvents } from '../api/use-loaded.js'
import { currentRoute, goTo, replaceRoute } from '../page/route.js'
import { AuditChain } from '../page/status/AuditChain.js'
import { Button } from '../parts/Button.js'
import { View } from '../parts/View.js'
import { type AuditFilter, filterFromRoute, isFiltered } from './audit-filter.js'
import { CallTable } from './CallTable.js'
import { Export } from './Export.js'
import { Record } from './Record.js'
import { Search } from './Search.js'
import { usePages } from './use-pages.js'

/** The audit log: a record before each call, and one of its outcome. */
export default function Audit({ path: [opened] }: { path: string[] }) {
  const { query } = currentRoute.value
  const filter = useMemo(() => filterFromRoute(query), [query.toString()])
  const pages = usePages(filter)
  const [isBehind, setBehind] = useState(false)
  useEvents(['audit', 'calls'], () => setBehind(true))
  const sequence = opened !== undefined && /^\d{1,15}$/.test(opened) ? Number(opened) : undefined
  const where = sequence === undefined ? ['audit'] : ['audit', sequence]
  const narrow = useCallback((next: AuditFilter) => replaceRoute(where, next), [sequence])
  const shown = sequence === undefined ? undefined : callWith(pages.calls, sequence)
  return (
    <View
      title="Audit"
      lead="Every call, recorded before it starts and after it ends."
      actions={
        isBehind && (
          <Button
            icon="restart"
            onClick={() => {
              setBehind(false)
              pages.reload()
            }}
          >
            Load newer calls
          </Button>
        )
      }
    >
      <AuditChain actions={<Export />} />
      <Search filter={filter} onFilter={narrow} />
      <div class={sequence === undefined ? 'audit stack far' : 'audit stack far with-record'}>
        <CallTable
          pages={pages}
          isNarrow={isFiltered(filter)}
          current={shown ?? sequence}
          onOpen={(call) => goTo(['audit', call.sequence], filter)}
        />
        {sequence !== undefined && <Record key={sequence} sequence={sequence} onClose={() => goTo(['audit'], filter)} />}
      </div>
    </View>
  )
}

/** The call that a record belongs to: its own record, or the record of its ending. */
const callWith = (calls: readonly { sequence: number; ended?: number }[], sequence: number): number | undefined =>
  calls.find((call) => call.sequence === sequence || call.ended === sequence)?.sequence
