import { useMemo, useState } from 'preact/hooks'
import { Button } from '../parts/Button.js'
import { FoldedText } from '../parts/text/FoldedText.js'
import { isObject, type Json } from '../schemas/json.js'
import { readJson } from '../schemas/read-json.js'
import { StructuredContent } from './StructuredContent.js'

/** A text; JSON can be shown as a tree too. */
export function TextBlock({ text }: { text: string }) {
  const value = useMemo(() => jsonIn(text), [text])
  const [asTree, setAsTree] = useState(false)
  if (text === '') return <p class="muted">An empty text.</p>
  return (
    <div class="text-block stack close start">
      {value !== undefined && (
        <Button small variant="quiet" aria-pressed={asTree} onClick={() => setAsTree(!asTree)}>
          Show JSON as a tree
        </Button>
      )}
      {asTree && value !== undefined ? <StructuredContent of={value} /> : <FoldedText text={text} key={text} />}
    </div>
  )
}

const mostCharacters = 1_000_000

/** The value of a text that is a JSON object or array. */
export function jsonIn(text: string): Json | undefined {
  if (text.length > mostCharacters || !/^\s*[[{]/.test(text)) return undefined
  const read = readJson(text)
  return 'value' in read && (isObject(read.value) || Array.isArray(read.value)) ? read.value : undefined
}
