"""What the erasures and exports of the contexts share: views of their jobs, and the folder of an export."""
