"""Common parts of the contexts' erasures and exports: views of their jobs, and the folder of an export."""
