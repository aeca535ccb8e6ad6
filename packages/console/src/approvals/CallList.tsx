import { useState } from 'preact/hooks'
import { Button } from '../parts/Button.js'
import { CallGroup } from './CallGroup.js'
import type { Queue } from './queue.js'
import { firstShown, moreShown, type Reach } from './reach.js'

type Props = {
  readonly queue: Queue
  readonly reach: Reach
  readonly chosen: string | undefined
  readonly onChoose: (id: string) => void
  readonly onReach: (reach: Reach) => void
}

const groupsAtOnce = 20

/** All that waits, in groups: the most dangerous first. */
export function CallList({ queue: { groups }, reach, chosen, onChoose, onReach }: Props) {
  const [most, setMost] = useState(groupsAtOnce)
  const shown = groups.slice(0, most)
  return (
    <section class="queue" aria-label="Calls that wait" data-queue>
      {shown.map((group) => (
        <CallGroup
          key={group.key}
          group={group}
          reach={reach}
          chosen={chosen}
          onChoose={onChoose}
          onMore={() => onReach(new Map(reach).set(group.key, (reach.get(group.key) ?? firstShown) + moreShown))}
        />
      ))}
      {groups.length > most && (
        <Button variant="quiet" onClick={() => setMost(most + groupsAtOnce)}>
          Show more groups: {groups.length - most} are left
        </Button>
      )}
    </section>
  )
}
