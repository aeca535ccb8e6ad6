import { useEffect, useRef, useState } from 'preact/hooks'
import { Button } from '../Button.js'
import { Text } from './Text.js'

type Props = {
  readonly text: string
  /** Number of characters above which the text is folded; 4,096 by default. */
  readonly over?: number
  /** Called once, when the end of the unfolded text has been on the screen. */
  readonly onSeen?: () => void
}

const shownAtFirst = 600

/** A text; a long one is folded until the user unfolds it. */
export function FoldedText({ text, over = 4_096, onSeen }: Props) {
  const [isOpen, setOpen] = useState(text.length <= over)
  return (
    <div class="folded stack near start">
      <pre class="folded-text sunken">
        <Text of={isOpen ? text : text.slice(0, shownAtFirst)} mono />
      </pre>
      {isOpen ? (
        <End onSeen={onSeen} key={text} />
      ) : (
        <Button small onClick={() => setOpen(true)}>
          Show all: {(text.length - shownAtFirst).toLocaleString()} characters are hidden
        </Button>
      )}
    </div>
  )
}

/** The end of the text; reports when it comes into view. */
function End({ onSeen }: { onSeen: (() => void) | undefined }) {
  const place = useRef<HTMLSpanElement>(null)
  const tell = useRef(onSeen)
  tell.current = onSeen
  useEffect(() => {
    const watching = new IntersectionObserver((entries) => {
      if (!entries.some((entry) => entry.isIntersecting)) return
      watching.disconnect()
      tell.current?.()
    })
    if (place.current) watching.observe(place.current)
    return () => watching.disconnect()
  }, [])
  return <span ref={place} class="folded-end" />
}
