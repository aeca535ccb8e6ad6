import { useEffect, useState } from 'preact/hooks'
import { currentRoute } from '../../page/route.js'
import { queue } from './follow-queue.js'
import { queueEntries } from './queue.js'

const narrow = matchMedia('(max-width: 60rem)')

/** The call that is looked at: the one in the address, or the first where there is room beside the list. It stays while others come. */
export function useChosenCall(): string | undefined {
  const [first, setFirst] = useState<string | undefined>(undefined)
  const [isNarrow, setNarrow] = useState(narrow.matches)
  const inAddress = currentRoute.value.path[0]
  const entries = queueEntries(queue.value)
  useEffect(() => {
    const onChange = () => setNarrow(narrow.matches)
    narrow.addEventListener('change', onChange)
    return () => narrow.removeEventListener('change', onChange)
  }, [])
  useEffect(() => {
    if (first === undefined || !entries.some(({ approval }) => approval.id === first))
      setFirst(entries.find(({ ending }) => !ending)?.approval.id)
  }, [entries, first])
  return inAddress ?? (isNarrow ? undefined : first)
}
