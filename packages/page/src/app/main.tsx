import { render } from 'preact'
import { App } from './app.tsx'
import { connect } from './connection.ts'

// What the page came with says no more than that it connects.
document.body.replaceChildren()
render(<App />, document.body)
void connect()
