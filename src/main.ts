import './base/tokens.css';
import './base/base.css';

import { mount } from 'svelte';

import App from './App.svelte';
import { connect } from './ipc/connect';

const target = document.getElementById('app');
if (target === null) throw new Error('index.html has no element #app');
mount(App, { target, props: { client: await connect() } });
