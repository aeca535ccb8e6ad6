// What appears when a field is left must not move what somebody is pressing: the click would go elsewhere.
let isPressed = false

globalThis.addEventListener?.('pointerdown', () => (isPressed = true), { capture: true })
for (const end of ['pointerup', 'pointercancel']) globalThis.addEventListener?.(end, () => (isPressed = false), { capture: true })

/** At once, or as soon as the click is over that has taken the focus away. */
export function afterPress(act: () => void): void {
  if (isPressed) addEventListener('pointerup', () => setTimeout(act, 0), { once: true })
  else act()
}
