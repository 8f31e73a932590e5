import { render } from 'preact';
import { App } from './app.tsx';
import './style.css';

const root = document.getElementById('page');
if (root === null) throw new Error('index.html has no element named page');
render(<App />, root);
