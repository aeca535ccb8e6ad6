import { useState } from 'preact/hooks'
import { Button } from '../../parts/Button.js'
import { EffectBadge } from '../../parts/EffectBadge.js'
import { markedText, Text } from '../../parts/text/Text.js'
import { useWork } from '../../parts/WorkButton.js'
import { DenyAll } from '../decide/DenyAll.js'
import { CallLine } from './CallLine.js'
import { loadMoreOf, shownCounts } from './follow-queue.js'
import type { QueueGroup } from './queue.js'
import { shownAtFirst, shownEntries, shownMoreEach } from './shown-entries.js'

type Props = {
  readonly group: QueueGroup
  readonly chosen: string | undefined
  readonly onChoose: (id: string) => void
}

/** The pending calls of one tool by one caller; there may be very many. */
export function CallGroup({ group, chosen, onChoose }: Props) {
  const [isDenying, setDenying] = useState(false)
  const { isBusy, run } = useWork()
  const { key, tool, caller, count } = group
  const shown = shownEntries(group, shownCounts.value, chosen)
  const left = count - shown.filter(({ ending }) => !ending).length

  async function more(): Promise<void> {
    const most = (shownCounts.value.get(key) ?? shownAtFirst) + shownMoreEach
    shownCounts.value = new Map(shownCounts.value).set(key, most)
    if (group.entries.length < left + shown.length) await run(() => loadMoreOf(group), 'More calls could not be loaded')
  }

  return (
    <section class="call-group card clip" aria-label={`${markedText(tool)}, asked for by ${markedText(caller)}`}>
      <GroupHead group={group} />
      <ul>
        {shown.map((entry) => (
          <CallLine key={entry.approval.id} entry={entry} isChosen={entry.approval.id === chosen} onChoose={onChoose} />
        ))}
      </ul>
      <footer class="bar">
        {left > 0 && (
          <Button variant="quiet" small busy={isBusy} onClick={more}>
            Show more: {left.toLocaleString()} left
          </Button>
        )}
        {count > 1 && (
          <Button variant="quiet" small onClick={() => setDenying(true)}>
            Deny all {count.toLocaleString()} …
          </Button>
        )}
      </footer>
      {isDenying && <DenyAll group={group} onClose={() => setDenying(false)} />}
    </section>
  )
}

const GroupHead = ({ group: { tool, server, caller, count, entries } }: Pick<Props, 'group'>) => (
  <header>
    <div class="call-group-name bar">
      <h2>
        <Text of={tool} mono line />
      </h2>
      {entries[0] && <EffectBadge {...entries[0].approval} />}
    </div>
    <p class="muted little">
      <Text of={caller} />
      <Text before=" · on " of={server} />
      {` · ${count.toLocaleString()} waiting`}
    </p>
  </header>
)
