import type { Approval, Hints } from '../../api/types.js'
import { FoldedText } from '../../parts/text/FoldedText.js'

/** The words of its server about the tool, if there are any. */
export function ServerDescription({ approval: { tool, claims, trusted } }: { readonly approval: Approval }) {
  const claimed = hintWords(claims)
  if (tool.description === undefined && !claimed) return null
  return (
    <details class="told-of-tool">
      <summary>What {trusted ? 'the server says' : 'the server claims'} about the tool</summary>
      {tool.description !== undefined && <FoldedText text={tool.description} over={1_200} />}
      {claimed && (
        <p class="little muted">
          {trusted ? 'Its hints (trusted)' : 'Its hints (not trusted)'}: {claimed}.
        </p>
      )}
    </details>
  )
}

/** What hints mean, in words. */
function hintWords({ readOnly, destructive, idempotent, openWorld }: Hints): string {
  const said = [
    readOnly === true && 'read-only',
    readOnly === false && 'may change things',
    destructive === true && 'may delete or overwrite',
    destructive === false && 'deletes and overwrites nothing',
    idempotent === true && 'safe to repeat',
    openWorld === false && 'stays within its own system',
  ]
  return said.filter((one) => one !== false).join('; ')
}
