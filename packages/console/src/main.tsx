import { render } from 'preact'

const place = document.getElementById('page')
if (place) render(<p>Toolwire</p>, place)
