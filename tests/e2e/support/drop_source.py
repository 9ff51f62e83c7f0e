"""A stand-in for a file manager: a small GTK window whose surface is dragged as the files named in argv."""

import sys
from pathlib import Path

import gi

gi.require_version("Gtk", "3.0")
gi.require_version("Gdk", "3.0")
from gi.repository import Gdk, Gtk  # noqa: E402

uris = [Path(name).as_uri() for name in sys.argv[1:]]


def hand_over(_widget, _context, data, _info, _time):
    data.set_uris(uris)


window = Gtk.Window(title="drop source")
window.set_default_size(200, 200)
box = Gtk.EventBox()
box.drag_source_set(Gdk.ModifierType.BUTTON1_MASK, [], Gdk.DragAction.COPY)
box.drag_source_add_uri_targets()
box.connect("drag-data-get", hand_over)
window.add(box)
window.connect("destroy", Gtk.main_quit)
window.show_all()
window.move(1350, 50)
print("ready", flush=True)
Gtk.main()
