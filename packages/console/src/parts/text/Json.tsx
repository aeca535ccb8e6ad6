import { useState } from 'preact/hooks'
import type { Json as Value } from '../../api/types.js'
import { useFirstItems } from '../use-first-items.js'
import { Text } from './Text.js'

type Props = {
  readonly of: Value
  /** Number of levels that are open at first; 2 by default. */
  readonly open?: number
}

/** A JSON value as a tree. A click, Enter or Space opens and closes a branch. */
export const Json = ({ of, open = 2 }: Props) => (
  <div class="json">
    {isBranch(of) ? (
      <Branch value={of} open={open} />
    ) : (
      <ul>
        <Leaf value={of} />
      </ul>
    )}
  </div>
)

type BranchValue = Value[] | { [key: string]: Value }
const isBranch = (value: Value): value is BranchValue => typeof value === 'object' && value !== null

const mostAtOnce = 100

function Branch({ value, open }: { value: BranchValue; open: number }) {
  const entries = Object.entries(value)
  const { shown, moreButton } = useFirstItems(entries, mostAtOnce)
  if (entries.length === 0) return <span class="json-empty">{Array.isArray(value) ? '[ ]' : '{ }'}</span>
  return (
    <ul>
      {shown.map(([name, one]) => (
        <Entry key={name} name={name} value={one} open={open} />
      ))}
      {moreButton && <li>{moreButton}</li>}
    </ul>
  )
}

function Entry({ name, value, open }: { name: string; value: Value; open: number }) {
  const [isOpen, setOpen] = useState(open > 0)
  if (!isBranch(value) || Object.keys(value).length === 0) return <Leaf name={name} value={value} />
  return (
    <li>
      <details open={isOpen} onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
        <summary>
          <Text of={name} class="json-name" /> <span class="json-size">{sizeOf(value)}</span>
        </summary>
        {isOpen && <Branch value={value} open={open - 1} />}
      </details>
    </li>
  )
}

const Leaf = ({ name, value }: { name?: string; value: Value }) => (
  <li class="json-leaf">
    {name !== undefined && (
      <>
        <Text of={name} class="json-name" />{' '}
      </>
    )}
    <Text of={textOf(value)} class={`json-${value === null ? 'null' : typeof value}`} />
  </li>
)

/** Strings keep their line breaks, so that they are readable. */
function textOf(value: Value): string {
  if (typeof value === 'string') return `"${value}"`
  return isBranch(value) ? (Array.isArray(value) ? '[ ]' : '{ }') : String(value)
}

function sizeOf(value: BranchValue): string {
  const count = Object.keys(value).length
  const what = Array.isArray(value) ? 'item' : 'field'
  return `${count} ${what}${count === 1 ? '' : 's'}`
}

/** A JSON value as text: indented, but otherwise as it is sent. */
export const JsonText = ({ of }: { of: Value }) => (
  // A long value scrolls, so it must be reachable by keyboard.
  // biome-ignore lint/a11y/noNoninteractiveTabindex: so that its scrolled-off part can be read by keyboard
  <pre class="json-text sunken" tabIndex={0}>
    <Text of={JSON.stringify(of, null, 2)} mono />
  </pre>
)
