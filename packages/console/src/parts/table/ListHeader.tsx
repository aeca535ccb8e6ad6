import type { ComponentChildren } from 'preact'

type Props = { readonly label: string; readonly text: string; readonly onText: (text: string) => void }

export const SearchInput = ({ label, text, onText }: Props) => (
  <input
    type="search"
    aria-label={label}
    placeholder={label}
    autocomplete="off"
    value={text}
    onInput={({ currentTarget }) => onText(currentTarget.value)}
  />
)

/** The header of a list: a search field and actions. */
export const ListHeader = ({ children, ...search }: Props & { readonly children?: ComponentChildren }) => (
  <div class="list-tools cluster">
    <SearchInput {...search} />
    {children}
  </div>
)

/** Does each word occur in one of the texts, in upper or lower case? */
export const matchesWords = (words: string, ...texts: readonly string[]): boolean => {
  const all = texts.join('\n').toLowerCase()
  return words
    .toLowerCase()
    .split(/\s+/)
    .every((word) => all.includes(word))
}
