import { useState } from 'preact/hooks'
import { Button } from './Button.js'

/** The first items of a list that may be very long, and a button that shows more of them and says how many are left. */
export function useFirstItems<Item>(items: readonly Item[], atFirst: number, words = 'left') {
  const [most, setMost] = useState(atFirst)
  const left = items.length - most
  const moreButton = left > 0 && (
    <Button small variant="quiet" onClick={() => setMost(most + 10 * atFirst)}>
      Show more: {left} {words}
    </Button>
  )
  return { shown: items.slice(0, most), moreButton }
}
