"""The isomorphism between constituent trees and head-ordered d-trees."""
