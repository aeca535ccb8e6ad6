import type { Approval } from '../../api/types.js'
import { claimTexts } from '../../parts/effect-claims.js'
import { FoldedText } from '../../parts/text/FoldedText.js'

/** The words of its server about the tool, if there are any. */
export function ServerDescription({ approval: { tool, claims, trusted } }: { readonly approval: Approval }) {
  const claimed = claimTexts(claims)
    .filter(({ said }) => said)
    .map(({ words }) => words)
    .join('; ')
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
