import { useState } from 'preact/hooks'
import { Button } from '../../parts/Button.js'
import { CallGroup } from './CallGroup.js'
import type { ApprovalQueue } from './queue.js'
import { type ShownCounts, shownAtFirst, shownMoreEach } from './shown-entries.js'

type Props = {
  readonly queue: ApprovalQueue
  readonly reach: ShownCounts
  readonly chosen: string | undefined
  readonly onChoose: (id: string) => void
  readonly onReach: (reach: ShownCounts) => void
}

const groupsAtOnce = 20

/** All that waits, in groups: the most dangerous first. */
export function CallList({ queue: { groups }, reach, chosen, onChoose, onReach }: Props) {
  const [most, setMost] = useState(groupsAtOnce)
  const shown = groups.slice(0, most)
  return (
    <section class="queue" aria-label="Pending calls" data-queue>
      {shown.map((group) => (
        <CallGroup
          key={group.key}
          group={group}
          reach={reach}
          chosen={chosen}
          onChoose={onChoose}
          onMore={() => onReach(new Map(reach).set(group.key, (reach.get(group.key) ?? shownAtFirst) + shownMoreEach))}
        />
      ))}
      {groups.length > most && (
        <Button variant="quiet" onClick={() => setMost(most + groupsAtOnce)}>
          Show more groups: {groups.length - most} left
        </Button>
      )}
    </section>
  )
}
