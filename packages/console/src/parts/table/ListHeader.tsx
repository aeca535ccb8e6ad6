import type { ComponentChildren } from 'preact'

type Props = {
  readonly label: string
  readonly text: string
  readonly onText: (text: string) => void
  /** Further filters, and what can be done. */
  readonly children?: ComponentChildren
}

/** What stands over a list: a search, and what can be done there. */
export const ListHeader = ({ label, text, onText, children }: Props) => (
  <div class="list-tools">
    <input
      type="search"
      aria-label={label}
      placeholder={label}
      autocomplete="off"
      value={text}
      onInput={({ currentTarget }) => onText(currentTarget.value)}
    />
    {children}
  </div>
)

/** Whether each of the words stands in one of the texts, in upper or lower case. */
export const matchesWords = (words: string, ...texts: readonly string[]): boolean => {
  const all = texts.join('\n').toLowerCase()
  return words
    .toLowerCase()
    .split(/\s+/)
    .every((word) => all.includes(word))
}
